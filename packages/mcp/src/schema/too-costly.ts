/** Thrown while a value is checked when the bounds of `limits.ts` are reached. Becomes an issue of the value. */
export class TooCostly extends Error {}
