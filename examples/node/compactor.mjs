// A compactor as a program: JSON lines on standard input and output, no dependencies.
// Try it: backslide run --compactor cmd:'node examples/node/compactor.mjs'
import { createInterface } from "node:readline";

const FIRST = "Write a hand-over of this conversation: goals, decisions, what was ruled out and why, state.";
const UPDATE = "Here is the hand-over so far. Bring it up to date, and drop nothing that still holds:\n\n";

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
const waiting = new Map(); // our summarizer requests, by id
let keepChars = 16000;
let summary = null;
let raw = [];
let asked = 0;

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function complete(messages) {
  const id = `c${++asked}`;
  send({ type: "complete", id, messages });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function completed({ id, text, error }) {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(error));
  else resolve(text);
}

function extend(messages) {
  for (const message of messages) {
    if (message.kind === "summary") summary = message.content; // of a compaction before this program was started
    else raw.push(message);
  }
}

const size = (messages) => messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

function tailStart() {
  const users = raw.flatMap((message, index) => (message.role === "user" ? [index] : []));
  return users.find((index) => size(raw.slice(index)) <= keepChars) ?? users.at(-1) ?? 0;
}

async function compact(id) {
  const start = tailStart();
  if (start === 0) return send({ type: "compacted", id, status: "no-op" });
  const ask = { role: "user", content: summary ? UPDATE + summary : FIRST };
  summary = await complete([...raw.slice(0, start), ask]);
  raw = raw.slice(start);
  // A raw message needs no more than its id.
  const kept = raw.map((message) => ({ kind: "raw", id: message.id }));
  const messages = [{ kind: "summary", role: "user", content: summary }, ...kept];
  return send({ type: "compacted", id, status: "compacted", messages });
}

lines.on("line", (line) => {
  const message = JSON.parse(line);
  const { type, id } = message;
  if (type === "hello") send({ type: "hello", version: 1, name: "node example" });
  else if (type === "open") {
    keepChars = 4 * (message.keep.tokens ?? 4000);
    send({ type: "opened", id });
  } else if (type === "extend") {
    extend(message.messages);
    send({ type: "extended", id });
  } else if (type === "compact") compact(id).catch((error) => send({ type: "error", id, message: error.message }));
  else if (type === "completion") completed(message);
  else if (type === "bye") process.exit(0);
});
lines.on("close", () => process.exit(0));
