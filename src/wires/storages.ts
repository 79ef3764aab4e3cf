import { allPrograms, programOf } from '../programs/all.ts'
import type { ProgramStorage } from '../programs/program.ts'
import { STORAGES } from '../programs/storages.ts'
import { formatOf } from './all.ts'

/** Returns the places of a program's sessions; undefined if it keeps none, or is unknown. */
export function storageOf(program: string | undefined): ProgramStorage | undefined {
  const known = programOf(program)
  return known && (STORAGES.get(known.names[0]) ?? formatOf(known.wire).storage.places)
}

/**
 * Returns the name of the program whose database has that name of a file. A channel of a program has its own, such as
 * `opencode-dev.db`.
 */
export function programOfDatabase(name: string): string | undefined {
  const own = name.replace(/^([^-.]+)-.+\.db$/, '$1.db')
  return allPrograms().find(({ names: [program] }) => storageOf(program)?.database?.name === own)?.names[0]
}
