/** Gives a string slice by slice, as JSON has it: escaped, without quotation marks. */
export interface LateReader {
  /** Undefined at the end, and after `close`. */
  next(): Promise<string | undefined>
  close(): void
}

/** Thrown where a string is needed at once that is still to be read. */
export class NotReadYet extends TypeError {
  constructor() {
    super(
      'Bytes that are read while they are sent can stand in image(), audio(), text() and in resources, not elsewhere in a result',
    )
  }
}

/** A string in a result that is read while it is sent. */
export abstract class LateString {
  abstract read(): LateReader

  /** Releases bytes that will not be read, so that no file stays open. */
  abstract discard(): void

  /** Called by `JSON.stringify`, which cannot wait. */
  toJSON(): never {
    throw new NotReadYet()
  }
}
