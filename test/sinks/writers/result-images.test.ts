import { expect, it } from 'vitest'
import { createInitialConversationState, type SessionConversationState } from '../../../src/entries/index.ts'
import { resultParts } from '../../../src/sinks/plan/result-parts.ts'
import { writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'
import { readBack } from './read-back.ts'

const DATA = 'iVBORw0KGgoAAAANSUhEUg=='
const BASE = { conversationId: 'main', status: 'complete' } as const

function sessionWith(toolName: string, input: object): SessionConversationState {
  const output = [
    { type: 'text', text: 'Seen.' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
  ]
  return {
    ...createInitialConversationState(),
    session: { id: 's', program: 'claude-code', cwd: '/srv/demo' },
    blocks: [
      { ...BASE, type: 'user_message', id: 'p', content: 'Look.' },
      { ...BASE, type: 'tool_use', id: 'c', toolUseId: 'c', toolName, input },
      { ...BASE, type: 'tool_result', id: 'r', toolUseId: 'c', output, isError: false },
    ],
  }
}

it.each(
  writablePrograms().flatMap((program) => [
    [program, 'Read', { file_path: '/srv/demo/a.png' }] as const,
    [program, 'Bash', { command: 'plot' }] as const,
  ]),
)('%s has the image that %s gave, when it is read back', (program, toolName, input) => {
  const written = writeSession(sessionWith(toolName, input), { program, cwd: '/srv/demo' })
  const results = readBack(program, written).blocks.filter((block) => block.type === 'tool_result')
  expect(results.map(({ output }) => resultParts(output))).toEqual([
    [
      { type: 'text', text: 'Seen.' },
      { type: 'image', mediaType: 'image/png', data: DATA },
    ],
  ])
})

const written = (program: string) => {
  const state = sessionWith('Read', { file_path: '/srv/demo/a.png' })
  const text = Object.values(writeSession(state, { program, cwd: '/srv/demo' }).files).join('')
  expect(text.split(DATA)).toHaveLength(2)
  return text
}

// As version 0.24.4 writes it itself. Otherwise the image is a message of the person.
it('qwen gets the image of a result inside the result', () => {
  const part = JSON.stringify({ inlineData: { mimeType: 'image/png', data: DATA } })
  expect(written('qwen')).toContain(`"response":{"output":"Seen."},"parts":[${part}]}}]`)
})

// As version 1.0.102 writes it itself.
it('copilot gets the bytes of an image before the result that names them', () => {
  const [, id, before] =
    /"type":"session.binary_asset","data":\{"assetId":"([^"]+)"(.*?)"data":"iVBOR/.exec(written('copilot')) ??
    []
  expect(before).toContain('"mimeType":"image/png","byteLength":16')
  const files = `"binaryResultsForLlm":[{"type":"image","assetId":"${id}","mimeType":"image/png","byteLength":16}]`
  expect(written('copilot')).toContain(files)
})
