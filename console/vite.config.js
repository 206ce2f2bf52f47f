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

// finish adds the licenses and leaves every file but the page packed alone: the
// program carries each once.
const finish = {
  name: 'finish',
  apply: 'build',
  closeBundle() {
    writeFileSync(join(dist, 'licenses.txt'), notices());
    for (const name of readdirSync(dist)) {
      if (name === 'index.html') continue;
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
