import type { ProgramFacts } from '../format.ts'
import type { Source } from '../source.ts'
import type { TranslationContext, TranslationMemory } from './context.ts'
import { MemoryCodec } from './save/memory-codec.ts'
import type { MemoryFields, MemoryFieldsOf } from './save/memory-shape.ts'

/** The parts of a source that differ from format to format. */
interface SourceDefinition<Memory extends TranslationMemory, Context extends TranslationContext<Memory>>
  extends Pick<Source<Memory>, 'initial' | 'end' | 'resume'> {
  readonly program: ProgramFacts
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
  program,
  version,
  fields,
  begin,
  translate,
  ...source
}: SourceDefinition<Memory, Context>): Source<Memory> {
  let known: MemoryCodec<Memory> | undefined
  const codec = () => (known ??= new MemoryCodec<Memory>({ format: program.name, version }, fields()))
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
    save: (memory) => codec().save(memory),
    load: (saved) => codec().load(saved),
  }
}
