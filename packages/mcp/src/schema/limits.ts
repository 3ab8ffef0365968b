// What a schema and its checks may cost (2026-07-28, basic, "Composition-Keyword Resource Use").

/** JSON levels in a schema document; a subschema inside `properties` takes two. */
export const MAX_SCHEMA_DEPTH = 128
/** JSON values in a schema document, and the characters of its strings and keys. */
export const MAX_SCHEMA_VALUES = 100_000
export const MAX_SCHEMA_TEXT = 2_000_000
/** Subschemas in a schema document. Generated schemas of large APIs stay below. */
export const MAX_SUBSCHEMAS = 4_000
/** Parts of a schema up to which it is compiled to a function; compiling larger ones would take long. */
export const MAX_COMPILED_PARTS = 600
export const MAX_PATTERN_LENGTH = 2_000
/**
 * Steps of matching a string against an expression that is not plainly linear. Long texts may need more, and are
 * refused.
 */
export const MAX_PATTERN_STEPS = 20_000_000
/** Characters of names that are matched against an expression of quadratic time where schemas are interpreted. */
export const MAX_INTERPRETED_NAME = 1_000
/** Items of an array with `uniqueItems`: each is compared with each. */
export const MAX_UNIQUE_ITEMS = 5_000
/** Subschemas entered by `$ref` for one value: recursive references could take exponential time. */
export const MAX_REFERENCE_STEPS = 2_000_000
/** The same where schemas are interpreted, which takes some ten times as long. */
export const MAX_INTERPRETED_REFERENCE_STEPS = 200_000
/** Issues that one failed validation reports, and the subschemas that are visited to find them. */
export const MAX_ISSUES = 20
export const MAX_EXPLAIN_STEPS = 20_000

/** Thrown while a value is checked when the bounds of `limits.ts` are reached. Becomes an issue of the value. */
export class TooCostly extends Error {}
