import type { ProgramFacts } from '../format.ts'
import type { Source } from '../source.ts'
import { MemoryCodec } from './save/memory-codec.ts'
import type { MemoryFields, MemoryFieldsOf } from './save/memory-shape.ts'
import { translateInTurn } from './translate-in-turn.ts'

/** The parts of a source that differ from format to format. */
interface SourceDefinition<Memory> extends Pick<Source<Memory>, 'initial' | 'translate' | 'end' | 'resume'> {
  readonly program: ProgramFacts
  /** The version of the memory's fields. */
  readonly version: number
  /** Returns the fields of the memory. */
  readonly fields: () => MemoryFieldsOf<Memory> & MemoryFields
}

/** Returns the source of a format. */
export function defineSource<Memory>({
  program,
  version,
  fields,
  ...source
}: SourceDefinition<Memory>): Source<Memory> {
  let known: MemoryCodec<Memory> | undefined
  const codec = () => (known ??= new MemoryCodec<Memory>({ format: program.name, version }, fields()))
  return {
    ...source,
    translateAll: (memory, messages) => translateInTurn(source.translate, memory, messages),
    save: (memory) => codec().save(memory),
    load: (saved) => codec().load(saved),
  }
}
