import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

// The Makefile puts it in the place of dist.
const dist = join(import.meta.dirname, '.dist');

// The page stands at …/graphql and its files at …/graphql/console/…; all addresses are
// relative, so an audience's path in front changes nothing.
const below = 'graphql/console/';

// packages are the folders of what went into the build, the workers' parts included.
const packages = new Set();

const collect = () => ({
  name: 'collect',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      for (const id of chunk.moduleIds ?? []) {
        const [folder] = id.match(/^.*\/node_modules\/(@[^/]+\/)?[^/]+/) ?? [];
        if (folder) packages.add(folder);
      }
    }
  },
});

// notices are the licenses of those packages, as each brings them.
function notices() {
  const parts = [...packages].sort().map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json')));
    const files = readdirSync(folder).filter(file => /^(licen[cs]e|notice|copying|third-?party)/i.test(file));
    return [`${name} ${version} (${license})`, ...files.map(file => readFileSync(join(folder, file), 'utf8').trim())].join('\n\n');
  });
  return parts.join(`\n\n${'-'.repeat(80)}\n\n`) + '\n';
}

// sources is the SHA-256 of everything the build is made of, so that a test can know
// whether dist was built from the sources beside it: each name and text, ended by a zero.
function sources() {
  const src = readdirSync(join(import.meta.dirname, 'src')).map(name => 'src/' + name);
  const hash = createHash('sha256');
  for (const name of ['index.html', 'package-lock.json', 'vite.config.js', ...src].sort()) {
    hash.update(name + '\0').update(readFileSync(join(import.meta.dirname, name))).update('\0');
  }
  return hash.digest('hex');
}

// finish adds the licenses and the hash of the sources, and leaves every file but the page compressed alone: the
// program carries each once.
const finish = {
  name: 'finish',
  apply: 'build',
  closeBundle() {
    writeFileSync(join(dist, 'licenses.txt'), notices());
    writeFileSync(join(dist, 'sources'), sources());
    for (const name of readdirSync(dist)) {
      if (name === 'index.html' || name === 'sources') continue;
      const file = join(dist, name);
      writeFileSync(file + '.gz', gzipSync(readFileSync(file), { level: 9 }));
      rmSync(file);
    }
  },
};

export default defineConfig({
  base: './',
  publicDir: false,
  plugins: [collect(), finish],
  worker: { format: 'es', plugins: () => [collect()] },
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? below + file : { relative: true }),
  },
  logLevel: 'warn',
  build: {
    outDir: dist,
    target: 'es2022',
    assetsDir: '',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000, // kB; the editor is one piece
    rolldownOptions: {
      // "use client" is for servers that render React; there is none here.
      onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log),
    },
  },
});
