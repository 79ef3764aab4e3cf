#!/usr/bin/env node
import process from 'node:process'
import { run } from './run.ts'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `head`, is no failure.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`agentfold: cannot write: ${error.message}\n`)
  process.exit(1)
})

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  write: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  isStyled: process.stdout.isTTY === true && !process.env.NO_COLOR,
})
