/** Something that the user can put right; its message is all that is printed. */
export class CreateError extends Error {}
