// A receiver of webhooks as its author would write one: the signature is verified with the
// package standardwebhooks, and the event is read with CloudEvents' SDK, both unchanged.
//
//   node webhooks.mjs SECRET
//
// It listens on a free port of loopback and prints it. Then it prints a line of JSON for each
// request: {status, event} or {status, error}. A line on stdin, STATUS or STATUS RETRY-AFTER, is
// the answer to every further request; {answers} is printed once it is.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { HTTP } from "cloudevents";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.argv[2]);
let answer = [204];

createInterface({ input: process.stdin }).on("line", (line) => {
  answer = line.split(" ").map(Number);
  console.log(JSON.stringify({ answers: line }));
}).on("close", () => process.exit());

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    let [status, after] = answer;
    let line;
    try {
      webhook.verify(body, request.headers);
      const event = HTTP.toEvent({ headers: request.headers, body });
      event.validate();
      line = { status, event, extra: request.headers["x-extra"] };
    } catch (error) {
      status = 401;
      line = { status, error: String(error), body };
    }
    if (after) response.setHeader("Retry-After", after);
    response.writeHead(status).end();
    console.log(JSON.stringify(line));
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
