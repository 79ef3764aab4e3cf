import { run, type Terminal } from '../../src/cli/run.ts'

/** The exit code and the output of a run of the command. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Environment
  extends Partial<
    Pick<
      Terminal,
      'screen' | 'showsProgress' | 'columns' | 'home' | 'now' | 'page' | 'paged' | 'pick' | 'interruption'
    >
  > {
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
  readonly isStyled?: boolean
  /** Gets each part of the output when the command writes it. */
  readonly onWrite?: (text: string) => unknown
  /** Gets each part of the error output. */
  readonly onError?: (text: string) => unknown
}

/** Runs the command with a terminal that collects its output. */
export async function agentfold(
  args: readonly string[],
  { stdin = [], isStyled = false, onWrite, onError, ...environment }: Environment = {},
): Promise<Ran> {
  let out = ''
  let err = ''
  const terminal: Terminal = {
    stdin: (async function* () {
      yield* stdin
    })(),
    write: (text) => {
      out += text
      onWrite?.(text)
    },
    writeError: (text) => {
      err += text
      onError?.(text)
    },
    isStyled,
    showsProgress: false,
    ...environment,
  }
  return { code: await run(args, terminal), out, err }
}
