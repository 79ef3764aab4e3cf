#!/usr/bin/env node
import module from 'node:module'
import process from 'node:process'
import type { Choice, PickerTexts } from './terminal/terminal.ts'

// Node 22.1 and later keep the compiled code of the modules that load after this, in their temporary folder. So all
// code of the command loads after it.
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache')
if (typeof enableCompileCache === 'function') Reflect.apply(enableCompileCache, module, [])

const [{ run }, { hasColours }, { hideSqliteWarning, writePaged }] = await Promise.all([
  import('./run.ts'),
  import('./terminal/style.ts'),
  import('./terminal/terminal.ts'),
])

const { stdin, stdout, stderr } = process

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, such as `head`, is not a failure. The exit code is set before the last
  // output.
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  stderr.write(`agentfold: cannot write: ${error.message}\n`)
  process.exit(1)
})

// If nobody reads the error stream, the exit code still reports the failure.
stderr.on('error', () => {})

hideSqliteWarning(process)

/** For terminals that do not report their size. */
const DEFAULT_ROWS = 24

// Ctrl-C also stops the program that writes to the pipe. The first one must not end this command, which then shows
// the rest of the input.
if (stdout.isTTY && process.argv.includes('-')) process.once('SIGINT', () => {})

/** Most commands need no picker, and start sooner without it. */
async function pickLazily(
  choices: readonly Choice[],
  texts: PickerTexts,
  further?: () => Promise<readonly Choice[]>,
): Promise<string | undefined> {
  const { pick } = await import('./terminal/picker.ts')
  return pick(choices, {
    ...texts,
    further,
    rows: stdout.rows || DEFAULT_ROWS,
    columns: stdout.columns || undefined,
  })
}

const pager = process.env.PAGER?.trim()

process.exitCode = await run(process.argv.slice(2), {
  stdin,
  write: (text) => stdout.write(text),
  writeError: (text) => stderr.write(text),
  isStyled: hasColours(process.env, stdout.isTTY === true),
  // A pager gets a pipe, and shows it on the terminal of the error stream.
  columns: stdout.columns || stderr.columns || Number(process.env.COLUMNS) || undefined,
  showsProgress: stderr.isTTY === true,
  ...(stdout.isTTY && pager && { paged: (work) => writePaged(pager, work, (text) => stdout.write(text)) }),
  interruption: () => {
    const stop = new AbortController()
    // The second Ctrl-C ends the program at once.
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      process.once(name, () => {
        stop.abort()
        // A pipe that stays open would keep the process alive.
        stdin.destroy()
      })
    return stop.signal
  },
  ...(stdin.isTTY && stdout.isTTY && { pick: pickLazily }),
  ...(stdout.isTTY && {
    screen: {
      write: (text: string) => stdout.write(text),
      get rows() {
        return stdout.rows || DEFAULT_ROWS
      },
      get columns() {
        return stdout.columns || undefined
      },
      now: () => performance.now(),
      setTimer: (work: () => void, milliseconds: number) => {
        const timer = setTimeout(work, milliseconds)
        return () => clearTimeout(timer)
      },
    },
  }),
})
