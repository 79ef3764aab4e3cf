import process from 'node:process'
import { exportSession } from './export-session.ts'

const [path, endpoint = 'http://127.0.0.1:4318/v1/traces'] = process.argv.slice(2)
if (path === undefined) throw new Error('use: npm run example:otlp -- <session> [endpoint]')
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
process.stdout.write(`follows ${path}, sends to ${endpoint}\n`)
process.stdout.write(`sent ${await exportSession(path, endpoint, stop.signal)} spans\n`)
