// How many judgements a second: node bench.mjs

import { email } from "./dist/formats.js";
import { schema } from "./dist/judge.js";

const cards = {
  "three fields": [{ fields: [["title", { type: "string", maxLength: 80 }, 1], ["n", { type: "integer" }, 1], ["note", { type: ["string", "null"] }]] }, { title: "Tea", n: 3, note: null }],
  "six fields": [
    {
      fields: [["id", { type: "string" }, 6], ["title", { type: "string", minLength: 1, maxLength: 80 }, 1], ["email", { type: "string", format: "email" }, 1], ["price", { type: "integer", bounds: [["minimum", 0]] }, 1], ["status", { type: "string", enum: ["open", "paid"] }], ["note", { type: ["string", "null"] }]],
      use: { formats: { email } },
    },
    { title: "Tea", email: "ada@example.org", price: 900, status: "open", note: null },
  ],
};
for (const [name, [card, body]] of Object.entries(cards)) {
  const { validate } = schema(card, 0)["~standard"];
  let best = 0;
  for (let run = 0; run < 10; run++) {
    const start = performance.now();
    for (let i = 0; i < 200_000; i++) if (validate(body).issues) throw new Error(name);
    best = Math.max(best, (200_000 / (performance.now() - start)) * 1000);
  }
  console.log(`${name}: ${(best / 1e6).toFixed(2)} million a second`);
}
