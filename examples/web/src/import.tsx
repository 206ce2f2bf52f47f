import type { Detail } from "@shop/catalog";
import { useState } from "preact/hooks";

/** Judges many rows in a worker, so that the page stays quick. */
export function Import() {
  const [said, setSaid] = useState("");
  const judge = (text: string) => {
    const worker = new Worker(new URL("./judge.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Detail[][]>) => {
      const wrong = data.flatMap((details, i) => details.map((d) => `row ${i + 1}: ${d.path} ${d.message}`));
      setSaid(wrong.length ? wrong.join("; ") : `${data.length} rows are right`);
      worker.terminate();
    };
    worker.postMessage(text.split("\n").filter((line) => line.trim()));
  };
  return (
    <section aria-label="Import">
      <h2>Import</h2>
      <label>
        Products, one JSON object a line
        <textarea rows={4} onChange={(e) => judge(e.currentTarget.value)} />
      </label>
      <p role="status">{said}</p>
    </section>
  );
}
