#!/usr/bin/env node
import process from 'node:process'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `head`, is no failure; what is written at the end has its exit code by now.
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  stderr.write(`agentfold: cannot write: ${error.message}\n`)
  process.exit(1)
})

// Where nobody reads what is complained of, the exit code still tells.
stderr.on('error', () => {})

/** Some terminals do not tell their size. */
const DEFAULT_ROWS = 24

// The producer of a pipe gets the interruption too; what it still says is shown before this ends with it.
if (stdout.isTTY && process.argv.includes('-')) process.once('SIGINT', () => {})

process.exitCode = await run(process.argv.slice(2), {
  stdin,
  write: (text) => stdout.write(text),
  writeError: (text) => stderr.write(text),
  isStyled: stdout.isTTY === true && !process.env.NO_COLOR,
  showsProgress: stderr.isTTY === true,
  ...(stdout.isTTY && {
    screen: {
      write: (text: string) => stdout.write(text),
      get rows() {
        return stdout.rows || DEFAULT_ROWS
      },
      now: () => performance.now(),
      setTimer: (work: () => void, milliseconds: number) => {
        const timer = setTimeout(work, milliseconds)
        return () => clearTimeout(timer)
      },
    },
  }),
})
