import type { Secret, Text } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { CompileContext, Report } from './compile-context.ts'

/** The keys whose values are of a type. */
type KeyOf<T, Value> = { [K in keyof T]-?: T[K] extends Value | undefined ? K : never }[keyof T] & string

/** The result of reading a key: undefined where the key may be missing. */
type Read<T, K extends keyof T, Result> = undefined extends T[K] ? Result | undefined : Result

type Values = Readonly<Record<string, string | number | boolean>>

/** Where something stands in the configuration, whatever it is. */
export interface Place {
  readonly context: CompileContext
  /** Reports something wrong here, or with a part of it. */
  report(report: Omit<Report, 'path'>, ...steps: (string | number)[]): void
}

/** A part of the configuration and its place, where what is wrong with it is reported. */
export class Section<T> implements Place {
  readonly value: T
  readonly path: ConfigPath
  readonly context: CompileContext

  constructor(value: T, path: ConfigPath, context: CompileContext) {
    this.value = value
    this.path = path
    this.context = context
  }

  at<K extends keyof T & (string | number)>(key: K): Section<NonNullable<T[K]>> {
    return new Section(this.value[key] as NonNullable<T[K]>, [...this.path, key], this.context)
  }

  /** The same place, where the value was found to be of a narrower type. */
  narrow<Narrow extends T>(value: Narrow): Section<Narrow> {
    return new Section(value, this.path, this.context)
  }

  /** The entries of a list, each with its place. */
  each<Item>(this: Section<readonly Item[]>): Section<Item>[] {
    return this.value.map((item, index) => new Section(item, [...this.path, index], this.context))
  }

  /** The members of an object, each with its name and place. */
  members<Member>(this: Section<Readonly<Record<string, Member>>>): [name: string, Section<Member>][] {
    return Object.entries(this.value).map(([name, member]) => [
      name,
      new Section(member, [...this.path, name], this.context),
    ])
  }

  /** Resolved text for places where nothing is secret. */
  plain<K extends KeyOf<T, string>>(key: K): Read<T, K, string> {
    return this.#read(key, (text, path) => this.context.plain(text as string, path))
  }

  /** The absolute path of a file. */
  file<K extends KeyOf<T, string>>(key: K): Read<T, K, string> {
    return this.#read(key, (text, path) => this.context.toAbsolute(this.context.plain(text as string, path)))
  }

  /** Resolved text that is secret as soon as it refers to something. */
  text<K extends KeyOf<T, string>>(key: K): Read<T, K, Text> {
    return this.#read(key, (text, path) => this.context.text(text as string, path))
  }

  secret<K extends KeyOf<T, string>>(key: K): Read<T, K, Secret> {
    return this.#read(key, (text, path) => this.context.secret(text as string, path))
  }

  /** A secret that must not be empty. */
  credential<K extends KeyOf<T, string>>(key: K): Read<T, K, Secret> {
    return this.#read(key, (text, path) => this.context.credential(text as string, path))
  }

  secrets<K extends KeyOf<T, Values>>(key: K): Read<T, K, Record<string, Secret>> {
    return this.#read(key, (values, path) => this.context.secrets(values as Values, path))
  }

  report(report: Omit<Report, 'path'>, ...steps: (string | number)[]): void {
    this.context.report({ ...report, path: [...this.path, ...steps] })
  }

  #read<K extends keyof T & string, Result>(
    key: K,
    read: (value: NonNullable<T[K]>, path: ConfigPath) => Result,
  ): Read<T, K, Result> {
    const value = this.value[key]
    const result = value === undefined ? undefined : read(value as NonNullable<T[K]>, [...this.path, key])
    return result as Read<T, K, Result>
  }
}
