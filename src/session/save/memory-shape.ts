import type { Shape, Variants } from '../../json/shape/shape.ts'
import type { Buffered } from '../buffer.ts'
import type { PersistentMap } from '../notes/persistent-map.ts'

/**
 * Describes a part of a source's memory as data: plain JSON, or a map or buffer of such parts.
 * - `mapOf`: a map
 * - `mapBy`: a map whose keys are a field of its values, so only the values are saved
 * - `bufferOf`: a linked list of at least one item
 */
export type MemoryShape =
  | Shape
  | { readonly listOf: MemoryShape }
  | { readonly mapOf: MemoryShape }
  | { readonly mapBy: string; readonly of: MemoryShape }
  | { readonly bufferOf: MemoryShape }
  | { readonly fields: MemoryFields }

/** Fields by name. A name that ends in `?` is an optional field. */
export interface MemoryFields {
  readonly [name: string]: MemoryShape
}

/** The shape of a memory's part. The compiler asks for each part of the type. */
type MemoryShapeOf<Value> = [Value] extends [PersistentMap<infer Item>]
  ? MapShapeOf<Item>
  : [Value] extends [Buffered<infer Item>]
    ? { readonly bufferOf: MemoryShapeOf<Item> }
    : [Value] extends [readonly (infer Item)[]]
      ? { readonly listOf: MemoryShapeOf<Item> }
      : [Value] extends [object]
        ? ObjectShapeOf<Value>
        : LeafShapeOf<Value>

type MapShapeOf<Item> =
  | { readonly mapOf: MemoryShapeOf<Item> }
  | { readonly mapBy: keyof Item & string; readonly of: MemoryShapeOf<Item> }

type ObjectShapeOf<Value extends object> = string extends keyof Value
  ? 'JSON object'
  : Value extends { readonly type: infer Type extends string }
    ? string extends Type
      ? { readonly fields: MemoryFieldsOf<Value> }
      : Variants<Type>
    : { readonly fields: MemoryFieldsOf<Value> }

type LeafShapeOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number]
    ? 'finite number'
    : string extends Value
      ? 'string'
      : { readonly oneOf: Readonly<Record<Value & string, true>> }

/** The fields of a part of a memory. A field without an entry, or with the wrong shape, does not compile. */
export type MemoryFieldsOf<Value> = {
  readonly [Name in keyof Value & string as undefined extends Value[Name] ? `${Name}?` : Name]: MemoryShapeOf<
    Exclude<Value[Name], undefined>
  >
}
