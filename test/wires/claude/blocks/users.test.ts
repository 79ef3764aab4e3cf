import { describe, expect, it } from 'vitest'
import { blocksOf, notesOf, ofType } from '../../recordings.ts'
import {
  fromSubagent,
  type Message,
  modelLaunches,
  readFiles,
  readStream,
  system,
  text,
  userMessage,
} from '../messages.ts'

const only = (...messages: readonly Message[]) => ofType(readStream(...messages).state, 'user_message')
const image = (source: Message) => ({ type: 'image', source })

describe('a person’s message', () => {
  it.each<[string, unknown, unknown]>([
    ['a string', 'Hi.', 'Hi.'],
    ['one text', [text('Hi.')], 'Hi.'],
    ['several texts', [text('Hi.'), text('You.')], [text('Hi.'), text('You.')]],
    ['a bare string in a list', ['Hi.'], 'Hi.'],
    [
      'a text with an image',
      [text('See.'), image({ type: 'base64', media_type: 'image/png', data: 'iVBO' })],
      [text('See.'), image({ type: 'base64', mediaType: 'image/png', data: 'iVBO' })],
    ],
    [
      'an image alone',
      [image({ type: 'url', url: 'https://x.test/a.png' })],
      [image({ type: 'url', url: 'https://x.test/a.png' })],
    ],
    ['an empty text', [text('')], ''],
  ])('may be %s', (_, content, expected) => {
    expect(only(userMessage(content)).map((block) => block.content)).toEqual([expected])
  })

  it('loses only the unknown parts, which are reported', () => {
    const { state, issues } = readStream(userMessage([text('See.'), { type: 'document', source: {} }]))
    expect(ofType(state, 'user_message')).toMatchObject([{ content: 'See.' }])
    expect(issues).toEqual([{ code: 'unknown-block', count: 1, line: 1, messageType: 'user/document' }])
  })

  it('may arrive while the model works', () => {
    const attachment = { type: 'queued_command', prompt: 'Wait.' }
    const { state } = readFiles([userMessage('Go.'), { type: 'attachment', attachment, uuid: 'u2' }])
    expect(ofType(state, 'user_message')).toMatchObject([{ content: 'Go.' }, { id: 'u2', content: 'Wait.' }])
  })

  it('is kept even if its line has no uuid', () => {
    const inSubagent = { ...fromSubagent('t1', 'a1'), uuid: undefined }
    const { state } = readStream(
      userMessage('One.', { uuid: undefined }),
      userMessage('Two.', { uuid: undefined }),
      userMessage('The prompt.', inSubagent),
      userMessage('A second message.', inSubagent),
    )
    expect(ofType(state, 'user_message').map(({ content }) => content)).toEqual(['One.', 'Two.'])
    expect(blocksOf(state, 't1')).toMatchObject([
      { id: 't1:prompt', content: 'The prompt.' },
      { content: 'A second message.' },
    ])
  })
})

describe('a message of the program in the person’s place', () => {
  const boundary = system('compact_boundary', { compact_metadata: { trigger: 'manual' } })

  it.each<[string, readonly Message[], string | undefined]>([
    ['a summary on disk', [userMessage('Summary', { isCompactSummary: true })], 'summary'],
    ['a summary in the stream', [boundary, userMessage('Summary', { isSynthetic: true })], 'summary'],
    ['a summary in streams up to 2.0.77', [boundary, userMessage('Summary')], 'summary'],
    [
      'a summary by its words',
      [userMessage('This session is being continued from a previous conversation that ran out of context.')],
      'summary',
    ],
    ['a prompt after a compaction', [boundary, userMessage('Go on.', { isReplay: true })], undefined],
    ['a meta message on disk', [userMessage('Note', { isMeta: true })], 'meta'],
    ['a meta message in the stream', [userMessage('Cut off mid-stream.', { isSynthetic: true })], 'meta'],
    [
      'a notification',
      [userMessage('<task-notification>\n<task-id>x</task-id>\n</task-notification>')],
      'notification',
    ],
    ['a command', [userMessage('<command-name>/compact</command-name>')], 'command'],
    [
      'a command’s output',
      [userMessage('<local-command-stdout>Done</local-command-stdout>', { isReplay: true })],
      'command',
    ],
    ['a shell command', [userMessage('<bash-input>ls</bash-input>')], 'command'],
    ['an ordinary message with tags', [userMessage('<b>bold</b> and <command-x')], undefined],
  ])('is marked: %s', (_, messages, origin) => {
    expect(only(...messages).map((block) => block.origin)).toEqual([origin])
  })

  it('is a summary once after a compaction, and later a prompt, also where nothing marks it', () => {
    const messages = [boundary, userMessage('Summary'), userMessage('Go on.')]
    expect(only(...messages).map((block) => block.origin)).toEqual(['summary', undefined])
  })

  it('is a summary only in the conversation that was compacted', () => {
    const { state } = readStream(
      modelLaunches('m1', 't1'),
      { ...boundary, ...fromSubagent('t1', 'a1') },
      userMessage('Cut off.', { isSynthetic: true }),
      userMessage('Summary', { isSynthetic: true, ...fromSubagent('t1', 'a1') }),
    )
    expect(ofType(state, 'user_message')).toMatchObject([{ content: 'Cut off.', origin: 'meta' }])
    expect(blocksOf(state, 't1').at(-1)).toMatchObject({ content: 'Summary', origin: 'summary' })
  })

  it('is a loaded skill if it begins with the skill’s folder', () => {
    const skill = 'Base directory for this skill: /srv/home/.claude/skills/deploy\n\n# Deploy\nSteps.'
    const { state } = readStream(userMessage(skill, { isMeta: true, uuid: 'u1' }))
    expect(state.blocks).toMatchObject([
      { type: 'skill_load', id: 'u1', status: 'complete', skillName: 'deploy', content: skill },
    ])
  })
})

it.each(['[Request interrupted by user]', '[Request interrupted by user for tool use]'])(
  'an interruption by the user is a system block and no message: %s',
  (content) => {
    const { state, issues } = readStream(userMessage([text(content)], { uuid: 'u1' }))
    expect(notesOf(state, 'interruption')).toMatchObject([{ id: 'u1', message: content }])
    expect(ofType(state, 'user_message')).toEqual([])
    expect(issues).toEqual([])
  },
)

it('the prompt of a subagent is never a message of the program', () => {
  const call = modelLaunches('m1', 't1')
  const { state } = readStream(
    call,
    userMessage('Note.', { isMeta: true, uuid: 'u1', ...fromSubagent('t1') }),
    userMessage('Do t1.', fromSubagent('t1')),
  )
  expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(['u1', 't1:prompt'])
})

it.each([
  'Stop hook feedback:\n- [check]: run the tests',
  '<user-prompt-submit-hook>check permissions</user-prompt-submit-hook>',
  '<system-reminder>\nSessionStart:startup hook additional context: rules\n</system-reminder>\n',
])('the text of a hook is not the words of the person: %j', (content) => {
  const { state } = readFiles([userMessage('Go.'), userMessage(content)])
  expect(state.blocks).toMatchObject([{ content: 'Go.' }, { content, origin: 'meta' }])
  expect(state.blocks[0]).not.toHaveProperty('origin')
})
