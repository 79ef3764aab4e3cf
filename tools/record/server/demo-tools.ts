import { asObject, type JsonObject } from '../../../src/core/json/values.ts'

/** A picture of 16 × 16 points. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAF0lEQVR4nGM4IcdAEiJN9aiGUQ1DSgMAD7/mASkS7UQAAAAASUVORK5CYII='

export const PICTURE_URL = `data:image/png;base64,${PICTURE}`

const text = (words: string) => ({ type: 'text', text: words })
const page = { uri: 'demo://page', mimeType: 'text/plain', text: 'the words of a page' }
const link = { type: 'resource_link', uri: 'demo://other', name: 'other', description: 'another page' }

/** The tools of the demo server, with what a result has for the model, and the result. */
const TOOLS: readonly (readonly [name: string, contains: string, result: JsonObject])[] = [
  ['show_words', 'further words', { content: [text('first words'), text('further words')] }],
  [
    'show_picture',
    '[image]',
    { content: [text('a picture'), { type: 'image', data: PICTURE, mimeType: 'image/png' }] },
  ],
  ['show_page', 'the words of a page', { content: [{ type: 'resource', resource: page }, link] }],
  [
    'show_table',
    'amber',
    { content: [text('{"rows":["amber",7]}')], structuredContent: { rows: ['amber', 7] } },
  ],
  ['show_nothing', '', { content: [] }],
  ['fail_always', 'the tool has failed', { content: [text('the tool has failed')], isError: true }],
  [
    'show_the_words_of_a_tool_whose_name_is_as_long_as_names_of_tools',
    'words of a long name',
    { content: [text('words of a long name')] },
  ],
]

/** The names of the tools, with what a result has for the model. */
export const DEMO_TOOLS = TOOLS.map(([name, contains]) => ({
  name,
  contains,
  fails: name === 'fail_always',
}))

/** Returns the answer of a server of the Model Context Protocol. A notification gets none. */
export function answerOfDemo({ id, method, params }: JsonObject): JsonObject | undefined {
  if (id === undefined) return undefined
  return { jsonrpc: '2.0', id, ...outcome(method, asObject(params)) }
}

function outcome(method: unknown, { name, protocolVersion }: JsonObject): JsonObject {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'demo', version: '1.0.0' }
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
    }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: TOOLS.map(([tool]) => toolOf(tool)) } }
    case 'tools/call':
      return { result: TOOLS.find(([tool]) => tool === name)?.[2] }
    default:
      return { error: { code: -32601, message: 'Method not found' } }
  }
}

function toolOf(name: string) {
  const inputSchema = { type: 'object', properties: { word: { type: 'string' } } }
  return { name, description: `Runs ${name}.`, inputSchema }
}
