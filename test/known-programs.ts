import { allPrograms } from '../src/programs/all.ts'
import { allFormats } from '../src/wires/all.ts'

/** The programs that an error about an unknown file names. */
export const KNOWN_PROGRAMS = allPrograms()
  .map(({ names }) => names[0])
  .join(', ')

/** The names of formats, as an error about an option lists them. */
export const KNOWN_FORMATS = allFormats()
  .map(({ name }) => name)
  .join(' or ')
