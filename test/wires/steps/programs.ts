import type { StepWire } from '../../../src/programs/program.ts'
import type { Program } from '../../hostile/programs.ts'
import { STEP_WIRES } from '../../laws/steps-forms.ts'
import type { Raw } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'

/** What the tests need to know of a program that appends whole messages: `test/wires/<wire>/program.ts`. */
export interface StepProgram extends Omit<Program, 'architecture'> {
  /** Returns what each line of a session means for the turn, read without the code under test. */
  meaning(): (line: Raw) => Meaning
  /** The field that names the agent of a line, if it is not `agentId`. */
  readonly agentField?: string
  readonly stored: StoredSession
}

/** A recorded session, as it is on a person's machine. */
interface StoredSession {
  /** The store below `fixtures/`, and its place below a home folder. */
  readonly from: string
  readonly to: string
  /** The fixture has rows for a database. */
  readonly isRows?: true
  /** The session's path below the home folder. */
  readonly session: string
  /** Words of the model, and the person's first words. */
  readonly words: string
  readonly prompt: string
}

/** The page of each program. The name of its folder is that of the wire. */
export const STEP_PROGRAMS: readonly (StepProgram & { readonly architecture: StepWire })[] =
  await Promise.all(
    STEP_WIRES.map(async (architecture) => ({ ...(await pageOf(architecture)), architecture })),
  )

/** Returns the page of a program. Throws an error that names the file if it is missing. */
async function pageOf(wire: StepWire): Promise<StepProgram> {
  const page: { readonly program: StepProgram } = await import(`../${wire}/program.ts`)
  return page.program
}
