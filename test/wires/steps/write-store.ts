import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { writeRows } from '../../node/sqlite.ts'
import type { StepProgram } from './programs.ts'

/** Writes the recorded session of a program below a home folder. */
export async function writeStore(home: string, { from, to, isRows }: StepProgram['stored']): Promise<void> {
  if (isRows) await writeRows(join(home, to), from)
  else await cp(join(import.meta.dirname, '../../../fixtures', from), join(home, to), { recursive: true })
}
