import { describe, expect, it } from 'vitest'
import { allPrograms } from '../../src/programs/all.ts'
import { allFormats } from '../../src/wires/all.ts'
import { PROGRAMS } from '../hostile/programs.ts'
import { FOLDERS } from './fixture-folders.ts'
import { inputs } from './inputs.ts'
import { oracleFor } from './status/oracles.ts'

/** No program's recordings exist. `test/wires/ag-ui/` makes its streams by hand, and writes them from all recordings. */
const WITHOUT_RECORDINGS: readonly string[] = ['ag-ui']

// These lists once were all that tied a format to the laws: a format that was missing in them was not tested.
describe.each(allFormats().map(({ name }) => name))('the format %s', (name) => {
  it('has a program', () => {
    expect(
      allPrograms().map(({ wire }) => wire),
      'add the program to src/programs/all.ts',
    ).toContain(name)
  })

  it('has lines for the hostile tests', () => {
    const message = `add the lines of ${name} to PROGRAMS of test/hostile/programs.ts, or to test/wires/${name}/program.ts`
    expect(
      PROGRAMS.map(({ architecture }) => architecture),
      message,
    ).toContain(name)
  })

  it.skipIf(WITHOUT_RECORDINGS.includes(name))(
    'has recordings for the laws, and an oracle of their statuses',
    () => {
      const recorded = inputs.find(({ architecture }) => architecture === name)
      expect(recorded, `add the recordings of ${name} to test/wires/inputs.ts`).toBeDefined()
      if (recorded) expect(() => oracleFor(recorded)).not.toThrow()
    },
  )

  it.skipIf(WITHOUT_RECORDINGS.includes(name))(
    'has the folders of its recordings in the test of detection',
    () => {
      const message = `add the folders of ${name} to test/wires/fixture-folders.ts`
      expect(
        FOLDERS.map(([, architecture]) => architecture),
        message,
      ).toContain(name)
    },
  )
})
