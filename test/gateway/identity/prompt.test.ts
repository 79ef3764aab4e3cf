import { describe, expect, it } from 'vitest'
import type { UserMessageBlock } from '../../../src/core/state/block.ts'
import { fold, spawn, upsert } from '../../core/reducer/example.ts'
import { EMPTY, identify, identityOf, reply, thought, user } from './prompts-and-responses.ts'

describe('the first prompt', () => {
  it('is the first message of the user', () => {
    const state = fold(user('u1', 'Go.'), reply('m1:0', 'Done.'), user('u2', 'More.'), reply('m2:0', 'Yes.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('is trimmed', () => {
    expect(identify(fold(user('u1', '\ufeff\n Go. \u2003'), reply('m1:0', 'Done.')))).toEqual(
      identityOf('Go.', 'Done.'),
    )
  })

  it('is the first of two in a row', () => {
    const state = fold(user('u1', 'Go.'), user('u2', 'Wait.'), reply('m1:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('joins the text parts and skips the others', () => {
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const
    const file = { type: 'file', name: 'a.txt', source: { type: 'url', url: 'file:///a.txt' } } as const
    const parts = [image, { type: 'text', text: ' One' }, file, { type: 'text', text: 'two ' }] as const
    expect(identify(fold(user('u1', parts), reply('m1:0', 'Done.')))).toEqual(identityOf('One\ntwo', 'Done.'))
  })

  it('is the same as parts and as a string', () => {
    const asParts = fold(user('u1', [{ type: 'text', text: 'Go.' }]), reply('m1:0', 'Done.'))
    expect(identify(asParts)).toEqual(identify(fold(user('u1', 'Go.'), reply('m1:0', 'Done.'))))
  })

  it.each<[name: string, content: UserMessageBlock['content']]>([
    ['no text', ''],
    ['an image alone', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]],
    ['no parts', []],
  ])('is the empty text for %s', (_, content) => {
    expect(identify(fold(user('u1', content), reply('m1:0', 'Done.')))?.firstUserMessageHash).toBe(EMPTY)
  })

  it.each(['command', 'notification', 'summary', 'meta'] as const)(
    'is never a message of the program: %s',
    (origin) => {
      const state = fold(user('p', 'Caveat.', { origin }), user('u1', 'Go.'), reply('m1:0', 'Done.'))
      expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
      expect(identify(fold(user('p', 'Caveat.', { origin }), reply('m1:0', 'Done.')))).toBeNull()
    },
  )

  it('may follow messages of the program', () => {
    const note = upsert({ id: 'n', type: 'system', status: 'complete', subtype: 'hook', message: 'Started.' })
    const skill = upsert({
      id: 's',
      type: 'skill_load',
      status: 'complete',
      skillName: 'x',
      content: 'Text.',
    })
    const failure = upsert({ id: 'e', type: 'error', status: 'error', message: 'Overloaded.' })
    const state = fold(note, skill, user('u1', 'Go.'), failure, note, reply('m1:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('is unknown if a block of the model comes first, because a later prompt is another', () => {
    expect(identify(fold(reply('m1:0', 'Done.'), user('u2', 'More.'), reply('m2:0', 'Yes.')))).toBeNull()
    expect(identify(fold(thought('m1:0'), user('u2', 'More.'), reply('m1:1', 'Done.')))).toBeNull()
  })

  it('may come from the options', () => {
    const unknown = fold(reply('m1:0', 'Done.'), user('u2', 'More.'))
    expect(identify(unknown, { firstUserText: ' Go. ' })).toEqual(identityOf('Go.', 'Done.'))
    expect(identify(unknown, { firstUserText: '' })).toEqual(identityOf('', 'Done.'))
  })

  it('comes from the options rather than from the state', () => {
    const state = fold(
      user('u1', 'wrapped: Go.'),
      reply('m1:0', 'Done.'),
      spawn('S'),
      reply('s1:0', 'One.', 'S'),
    )
    expect(identify(state, { firstUserText: 'Go.' })).toEqual(identityOf('Go.', 'Done.'))
    expect(identify(state, { firstUserText: 'Go.', conversationId: 'S' })).toEqual(identityOf('Go.', 'One.'))
  })
})
