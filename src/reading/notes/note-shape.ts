import type { Shape } from '../../core/json/shape.ts'
import type { JsonObject } from '../../core/json/values.ts'
import type { Buffered, PersistentMap } from './persistent-map.ts'

/**
 * Describes a note as data: plain JSON, or a map, a set or a buffer.
 * - `mapOf`: a map by id
 * - `setOf`: a set of ids
 * - `bufferOf`: a linked list of at least one item, to which appending is cheap
 */
export type NoteShape =
  | Shape
  | TypedShape<unknown>
  | { readonly listOf: NoteShape }
  | { readonly mapOf: NoteShape }
  | { readonly setOf: 'string' }
  | { readonly bufferOf: NoteShape }
  | { readonly fields: NoteFields }

/** Notes, or the fields of one, by name. A name that ends in `?` is an optional field of an object. */
export interface NoteFields {
  readonly [name: string]: NoteShape
}

declare const VALUE: unique symbol

/** The shape of a type that is declared elsewhere, such as a block of the state. */
export type TypedShape<Value> = Shape & { readonly [VALUE]?: Value }

/** The value of a note with that shape. */
export type NoteValue<S> = S extends { readonly [VALUE]?: infer Value }
  ? unknown extends Value
    ? PlainValue<S>
    : Exclude<Value, undefined>
  : PlainValue<S>

type PlainValue<S> = S extends { readonly mapOf: infer Item }
  ? PersistentMap<NonNullable<NoteValue<Item>>>
  : S extends { readonly setOf: 'string' }
    ? PersistentMap<true>
    : S extends { readonly bufferOf: infer Item }
      ? Buffered<NoteValue<Item>>
      : S extends { readonly listOf: infer Item }
        ? readonly NoteValue<Item>[]
        : S extends { readonly oneOf: Readonly<Record<infer Option, true>> }
          ? Option
          : S extends { readonly fields: infer Fields }
            ? FieldValues<Fields>
            : S extends keyof KindValues
              ? KindValues[S]
              : never

interface KindValues {
  readonly string: string
  readonly boolean: boolean
  readonly 'finite number': number
  readonly 'JSON value': unknown
  readonly 'JSON object': JsonObject
}

/** An object with these fields. */
type FieldValues<Fields> = {
  readonly [Name in keyof Fields & string as Name extends `${string}?` ? never : Name]: NoteValue<
    Fields[Name]
  >
} & {
  readonly [Name in keyof Fields & string as Name extends `${infer Own}?` ? Own : never]?: NoteValue<
    Fields[Name]
  >
}

/** Returns the shape with the type of its values. */
export function typedShape<Value>(shape: Shape): TypedShape<Value> {
  return shape
}
