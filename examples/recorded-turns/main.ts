import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import process from 'node:process'
import { nodeHandler } from 'agentfold/node'
import { listen } from '../listen.ts'
import { turnsServer } from './server.ts'

/** `npm run example:recorded-turns -- <folder>` keeps conversations in the folder, and prints its address. */
const [folder = 'recorded-turns'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const url = await listen(createServer(nodeHandler(turnsServer(folder))))
process.stdout.write(`${url}v1/conversations\n`)
