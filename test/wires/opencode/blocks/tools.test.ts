import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../../src/wires/transcript.ts'
import { ofType } from '../../recordings.ts'
import { answer, completed, type Message, main, prompt } from '../messages.ts'
import { readBoth } from '../stored.ts'

const started = [...prompt, main.assistantStart('msg_10')]
const tool = (state: Message, fields: Message = {}) => main.tool('msg_10', 'prt_10', state, fields)
const done = [main.assistantEnd('msg_10', { finish: 'tool-calls' }), ...answer]

describe('a call', () => {
  it('shows the attached files beside the output', () => {
    const image = { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' }
    const { state } = readBoth(...started, tool(completed('Read.', { attachments: [image] })), ...done)
    const shown = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } }
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: [{ type: 'text', text: 'Read.' }, shown] }])
    const none = readBoth(...started, tool(completed('Read.', { attachments: [] })), ...done)
    expect(ofType(none.state, 'tool_result')).toMatchObject([{ output: 'Read.' }])
  })

  it('has an empty result if the tool has no output', () => {
    const { state } = readBoth(...started, tool(completed(undefined)), ...done)
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: '', status: 'complete' }])
  })
})

// Recorded with OpenCode 1.18: the person typed `!` in the terminal, and its calls looked like the model's.
it('a command of the person in shell mode was requested by the person', () => {
  const folder = new URL('../../../../fixtures/interactive/opencode-tui/11-shell-mode/', import.meta.url)
  const exported = new URL('export/ses_deb314188ffe33lmrKQlWdwn2L.json', folder)
  for (const file of [exported, new URL('stream.ndjson', folder)]) {
    const { blocks } = parseTranscript('opencode', readFileSync(file, 'utf8'))
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    expect(calls.map(({ toolName, requestedBy }) => [toolName, requestedBy])).toEqual([
      ['bash', 'person'],
      ['bash', 'person'],
    ])
  }
})
