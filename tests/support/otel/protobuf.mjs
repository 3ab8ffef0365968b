/** By wire type. */
const LENGTHS = { 1: 8, 5: 4 }

/** Reads the wire format of Protocol Buffers: the fields of a message by their numbers, each with all its values. */
export function readFields(bytes) {
  const fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const type = key & 7
    let value
    if (type === 0) value = varint()
    else {
      const length = type === 2 ? Number(varint()) : LENGTHS[type]
      if (length === undefined) throw new Error(`wire type ${type} at ${at}`)
      value = bytes.subarray(at, at + length)
      at += length
    }
    const number = key >> 3
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return {
    all: (number) => fields.get(number) ?? [],
    messages: (number) => (fields.get(number) ?? []).map(readFields),
    text: (number) => Buffer.from(fields.get(number)?.[0] ?? []).toString(),
    hex: (number) => Buffer.from(fields.get(number)?.[0] ?? []).toString('hex'),
    number: (number) => Number(fields.get(number)?.[0] ?? 0),
    fixed64: (number) => toFixed64(fields.get(number)?.[0]),
    double: (number) => toDouble(fields.get(number)?.[0]),
    has: (number) => fields.has(number),
  }
}

function toFixed64(bytes) {
  return bytes ? Buffer.from(bytes).readBigUInt64LE() : 0n
}

function toDouble(bytes) {
  return bytes ? Buffer.from(bytes).readDoubleLE() : 0
}
