import { fieldName, type Variants } from '../../json/shape/shape.ts'
import type { Buffered } from '../buffer.ts'
import type { NoteFields } from './note-shape.ts'
import { COMMON_SHAPES, type CommonNotes, type NotesDeclaration } from './notes.ts'
import type { PersistentMap } from './persistent-map.ts'
import { slotsOf } from './slots.ts'

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

/** Declares the notes of a source whose interface and initial values stand beside their shapes. */
export function declareMemory<Memory extends CommonNotes>(
  label: { readonly source: string; readonly version: number },
  shapes: MemoryFieldsOf<Omit<Memory, keyof CommonNotes>> & NoteFields,
  initial: Memory,
): NotesDeclaration<Memory> {
  const optional = Object.entries(shapes).map(([name, shape]) => [`${fieldName(name)}?`, shape])
  const all = { ...COMMON_SHAPES, ...Object.fromEntries(optional) }
  const absent = Object.fromEntries(Object.keys(all).map((name) => [fieldName(name), undefined]))
  return { ...label, shapes: all, initial: slotsOf({ ...absent, ...initial }) }
}
