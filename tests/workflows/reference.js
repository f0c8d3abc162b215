// Evaluates recorded expressions once more with the reference engine of JSONata. Reads lines of JSON with expression, bindings
// and value from the file given, writes a line for each whose value differs, and at last the number of all.
"use strict";

const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { isDeepStrictEqual } = require("node:util");
const jsonata = require("jsonata");

// What Step Functions adds to the language, as far as the workflows use it.
const added = {
  hash: (text, algorithm) => createHash(algorithm.replace("-", "")).update(text).digest("hex"),
  parse: (text) => JSON.parse(text),
};

async function main(file) {
  const lines = new Set(readFileSync(file, "utf8").split("\n").filter(Boolean));
  for (const line of lines) {
    const { expression, bindings, value } = JSON.parse(line);
    const compiled = jsonata(expression);
    for (const [name, run] of Object.entries(added)) compiled.registerFunction(name, run);
    let found;
    try {
      found = await compiled.evaluate(undefined, bindings);
    } catch (error) {
      found = { error: error.message };
    }
    // Through JSON, which has no sequences and no undefined members.
    const plain = found === undefined ? "undefined" : JSON.parse(JSON.stringify(found));
    if (!isDeepStrictEqual(plain, value)) console.log(JSON.stringify({ expression, expected: plain, found: value }));
  }
  console.log(lines.size);
}

main(process.argv[2]);
