import { isObject } from '../json/values.ts'
import type { TranslationContext } from './context.ts'
import type { TranslationMemory } from './notes/memory-draft.ts'
import { PersistentMap } from './notes/persistent-map.ts'
import { MemoryCodec } from './save/memory-codec.ts'
import type { MemoryFields, MemoryFieldsOf } from './save/memory-shape.ts'
import { noMemory } from './save/shape-codec.ts'
import type { Source } from './source.ts'

/** The parts of a source that differ from format to format. */
interface SourceDefinition<Memory extends TranslationMemory, Context extends TranslationContext<Memory>>
  extends Pick<Source<Memory>, 'initial' | 'end' | 'resume'> {
  /** The name of the wire. A saved memory has it. */
  readonly name: string
  /** A map of the memory that no other format's memory has. It shows whether a value is a memory of this source. */
  readonly ownMap: keyof Memory & string
  /** The version of the memory's fields. */
  readonly version: number
  /** Returns the fields of the memory. */
  readonly fields: () => MemoryFieldsOf<Memory> & MemoryFields
  /** Returns the context of a batch of messages. */
  readonly begin: (memory: Memory) => Context
  /** Translates the next message of the batch. */
  readonly translate: (message: unknown, context: Context) => void
}

/** Returns the source of a format. */
export function defineSource<Memory extends TranslationMemory, Context extends TranslationContext<Memory>>({
  name,
  ownMap,
  version,
  fields,
  begin: beginOwn,
  translate,
  end,
  ...source
}: SourceDefinition<Memory, Context>): Source<Memory> {
  let known: MemoryCodec<Memory> | undefined
  const codec = () => (known ??= new MemoryCodec<Memory>({ format: name, version }, fields()))
  const isOwn = (memory: unknown) => isObject(memory) && memory[ownMap] instanceof PersistentMap
  const begin = (memory: Memory) => (isOwn(memory) ? beginOwn(memory) : noMemory())
  return {
    ...source,
    begin(memory) {
      const context = begin(memory)
      return {
        translate(message) {
          translate(message, context)
          return context.take()
        },
        finish: () => context.finish().memory,
      }
    },
    translate(memory, message) {
      const context = begin(memory)
      translate(message, context)
      return context.finish()
    },
    translateAll(memory, messages) {
      const context = begin(memory)
      for (const message of messages) translate(message, context)
      return context.finish()
    },
    end: (memory) => (isOwn(memory) ? end(memory) : noMemory()),
    save: (memory) => codec().save(memory),
    load: (saved) => codec().load(saved),
  }
}
