// What the linter asks of the TypeScript, beyond what the formatter and the types already enforce.
import { stripTypeScriptTypes } from "node:module";
import js from "@eslint/js";
import * as espree from "espree";
import globals from "globals";

// Node says once that taking types away is experimental.
process.removeAllListeners("warning");

/** Reads TypeScript without its types. Node puts blanks in their place, so everything stays where it is. */
const withoutTypes = {
  meta: { name: "without-types" },
  parse: (text, options) => espree.parse(stripTypeScriptTypes(text), options),
};

export default [
  { ignores: ["**/node_modules/", ".venv/", "build/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "max-len": ["error", { code: 120, comments: 120 }],
      "no-irregular-whitespace": ["error", { skipRegExps: true }],
      "no-unused-vars": ["error", { caughtErrors: "all", argsIgnorePattern: "^_" }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "array-callback-return": "error",
      "consistent-return": "error",
      curly: ["error", "multi-line"],
      "default-case-last": "error",
      eqeqeq: "error",
      "guard-for-in": "off",
      "no-alert": "error",
      "no-console": "error",
      "no-else-return": ["error", { allowElseIf: false }],
      "no-eval": "error",
      "no-extend-native": "error",
      "no-implicit-coercion": "error",
      "no-implied-eval": "error",
      "no-lonely-if": "error",
      "no-loop-func": "error",
      "no-nested-ternary": "off",
      "no-new-wrappers": "error",
      "no-self-compare": "error",
      "no-sequences": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-throw-literal": "error",
      "no-unneeded-ternary": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": "error",
      "no-useless-concat": "error",
      "no-useless-rename": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-arrow-callback": "error",
      "prefer-const": "error",
      "prefer-exponentiation-operator": "error",
      "prefer-object-has-own": "error",
      "prefer-rest-params": "error",
      "prefer-spread": "error",
      "prefer-template": "error",
      radix: "error",
      yoda: "error",
    },
  },
  { files: ["ui/**/*.ts"], languageOptions: { parser: withoutTypes, globals: globals.browser } },
  { files: ["tests/browser/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**/*.js", "*.js", "**/*.mjs"], languageOptions: { globals: globals.node } },
];
