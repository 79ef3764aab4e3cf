import { createServer, type Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { type Content, type ModelRequest, type ModelResponse, readRequest, textOf } from './messages.ts'

/** What the model answers to the first prompt of an agent: calls of further agents, and its text once they have answered. */
interface Script {
  readonly calls: readonly { readonly agent: string; readonly prompt: string }[]
  readonly text: string
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  'Why is the build red?': {
    calls: [
      { agent: 'reader', prompt: 'Read the log of the build.' },
      { agent: 'tester', prompt: 'Run the tests.' },
    ],
    text: 'A test expects the old name.',
  },
  'Run the tests.': {
    calls: [{ agent: 'reader', prompt: 'Read the failing test.' }],
    text: 'One test fails.',
  },
}

/** Starts a model API that answers by a script. `pause` is the time of an answer in ms. */
export function modelServer(pause: number): Server {
  return createServer(async (request, response) => {
    const read = await readRequest(request)
    if ('path' in read) return void response.writeHead(400).end()
    await setTimeout(pause)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(read.asked)))
  })
}

function answer({ messages }: ModelRequest): ModelResponse {
  const prompt = textOf(messages[0]?.content ?? '')
  const { calls, text } = SCRIPTS[prompt] ?? { calls: [], text: `Done: ${prompt}` }
  const isFirst = messages.length === 1
  const content: readonly Content[] =
    isFirst && calls.length > 0
      ? calls.map(({ agent, prompt: task }) => ({
          type: 'tool_use',
          id: crypto.randomUUID(),
          name: 'Task',
          input: { subagent_type: agent, prompt: task },
        }))
      : [{ type: 'text', text }]
  return { content, usage: { input_tokens: JSON.stringify(messages).length, output_tokens: 20 } }
}
