import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { type AnswerScript, SCRIPTS } from './scripts.ts'

const FOLDER = 'fixtures/answers'
const USAGE = 'usage: record answers <folder with node_modules of openai and @anthropic-ai/sdk>'

/** Records what a server streams, and what the official client of the API makes of it. */
async function main(packages: string): Promise<void> {
  const load = createRequire(join(resolve(packages), 'package.json'))
  const { accumulateResponse } = load('openai/lib/responses/ResponseAccumulator')
  const clients = {
    ...{ OpenAI: load('openai').OpenAI, Anthropic: load('@anthropic-ai/sdk').Anthropic },
    accumulateResponse,
  }
  const versions = {
    openai: await versionOf(packages, 'openai'),
    anthropic: await versionOf(packages, '@anthropic-ai/sdk'),
  }
  await mkdir(FOLDER, { recursive: true })
  for (const script of SCRIPTS) {
    const { stream, message } = await record(script, clients)
    const client =
      script.api === 'messages' ? `@anthropic-ai/sdk ${versions.anthropic}` : `openai ${versions.openai}`
    const isWhole = script.breaksAfter === undefined
    const path = join(FOLDER, `${script.api}-${script.name}`)
    await writeFile(`${path}.txt`, stream)
    await writeFile(`${path}.json`, `${JSON.stringify({ client, isWhole, message }, null, 2)}\n`)
  }
}

async function versionOf(packages: string, name: string): Promise<string> {
  return JSON.parse(await readFile(join(packages, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** Runs the client against a server that streams the script. */
async function record(script: AnswerScript, clients: Clients): Promise<{ stream: string; message: unknown }> {
  let stream = ''
  const server = createServer(async (_, response) => {
    stream = await send(script, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the server has no port')
  try {
    const message = await assembled(script.api, `http://127.0.0.1:${address.port}`, clients)
    return { stream, message: copy(message) }
  } finally {
    server.close().closeAllConnections()
  }
}

async function send({ api, events, breaksAfter }: AnswerScript, response: ServerResponse): Promise<string> {
  const texts = events.slice(0, breaksAfter).map((event) => {
    if (typeof event === 'string') return `data: ${event}\n\n`
    const name = api === 'chat-completions' ? '' : `event: ${event.type}\n`
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const text of texts) response.write(text)
  if (breaksAfter === undefined) response.end()
  else {
    await pause(200)
    response.destroy()
  }
  return texts.join('')
}

interface Clients {
  readonly OpenAI: new (
    options: object,
  ) => {
    readonly chat: { readonly completions: { stream(request: object): ClientStream } }
    readonly responses: { stream(request: object): ClientStream }
  }
  readonly Anthropic: new (
    options: object,
  ) => { readonly messages: { stream(request: object): ClientStream } }
  /** Returns what the client has of a response after an event. */
  readonly accumulateResponse: (event: object, before: object | undefined) => object
}

/** The parts of the clients' streams that the recorder calls. */
interface ClientStream {
  finalMessage(): Promise<object>
  finalChatCompletion(): Promise<object>
  finalResponse(): Promise<object>
  on(name: string, listener: (event: object, snapshot?: object) => void): void
}

/** The client goes on with its snapshot. */
function copy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Returns what the client has at the end: the whole message, or what came before the connection broke. */
async function assembled(
  api: AnswerScript['api'],
  url: string,
  { OpenAI, Anthropic, accumulateResponse }: Clients,
): Promise<unknown> {
  const messages = [{ role: 'user', content: 'Hello' }]
  if (api === 'messages') {
    const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
    const stream = client.messages.stream({ model: 'claude-scripted', max_tokens: 1000, messages })
    let last: unknown
    stream.on('streamEvent', (_, snapshot) => {
      last = copy(snapshot)
    })
    return stream.finalMessage().catch(() => last)
  }
  const client = new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  if (api === 'chat-completions') {
    const options = { model: 'gpt-scripted', messages, stream_options: { include_usage: true } }
    const stream = client.chat.completions.stream(options)
    let last: unknown
    stream.on('chunk', (_, snapshot) => {
      last = copy(snapshot)
    })
    return stream.finalChatCompletion().catch(() => last)
  }
  const stream = client.responses.stream({ model: 'gpt-scripted', input: 'Hello' })
  let last: object | undefined
  stream.on('event', (event) => {
    last = accumulateResponse(event, last)
  })
  const whole = stream.finalResponse()
  return whole.catch(() => copy(last))
}

const [packages] = process.argv.slice(2)
if (packages === undefined) throw new RangeError(USAGE)
await main(packages)
