import process from 'node:process'
import { parseArgs } from 'node:util'
import { readRecording, replay } from './recording.ts'
import { startApp } from './server.ts'

const USAGE = 'usage: npm run app -- [<recording>] [--port N] [--speed N]'
const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const PORT = '4173'

/** `npm run app` replays a recording as a live session, on the page of `agentfold serve`. */
async function main(): Promise<void> {
  const { path, port, speed } = options()
  let startReplay = (): void => {}
  const start = new Promise<void>((resolve) => {
    startReplay = resolve
  })
  const events = replay(await readRecording(path), { speed, start })
  const app = await startApp({ events, ports: [port], onReader: startReplay })
  process.stdout.write(`${path} at ${app.url}\n`)
  await app.ended
}

function options(): { readonly path: string; readonly port: number; readonly speed: number } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string', default: PORT }, speed: { type: 'string', default: '1' } },
  })
  const [path = RECORDING] = positionals
  const [port, speed] = [Number(values.port), Number(values.speed)]
  if (!Number.isInteger(port)) throw new RangeError(`--port: pass a number\n${USAGE}`)
  if (!(speed > 0)) throw new RangeError(`--speed: pass a factor, such as 0.5, 1 or 20\n${USAGE}`)
  return { path, port, speed }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
