import { run, type Terminal } from '../../src/cli/run.ts'

/** How a run of the command ended, and what it wrote. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Outside extends Partial<Pick<Terminal, 'screen' | 'isWatched'>> {
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
  readonly isStyled?: boolean
}

/** Runs the command with a terminal that keeps what is written to it. */
export async function agentfold(
  args: readonly string[],
  { stdin = [], isStyled = false, ...outside }: Outside = {},
): Promise<Ran> {
  let out = ''
  let err = ''
  const terminal: Terminal = {
    stdin: (async function* () {
      yield* stdin
    })(),
    write: (text) => {
      out += text
    },
    writeError: (text) => {
      err += text
    },
    isStyled,
    showsProgress: false,
    ...outside,
  }
  return { code: await run(args, terminal), out, err }
}
