/** A number, or text such as `30s` or `16mb`. */
export type Quantity = number | string
export type RawTexts = Record<string, string | number | boolean>
