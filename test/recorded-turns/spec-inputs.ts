import type { ConversationIssue, Parsed } from '../../src/recorded-turns/spec.ts'

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
export const specOf = (turn: unknown): string => JSON.stringify({ name: 'a', turns: [turn] })
export const withAudio = (audio: unknown): string => specOf({ role: 'user', text: 'hi', audio })
export const recorded = (uploadKey: unknown): string => withAudio({ kind: 'recorded', upload_key: uploadKey })
export const sha256: string = '0123456789abcdef'.repeat(4)

/** Invalid turns, for requests and for storage, with the path in the turn. */
export const WRONG_TURNS: readonly [
  name: string,
  turn: unknown,
  issues: readonly Pick<ConversationIssue, 'code' | 'path'>[],
][] = [
  ...[null, 5, 'user', true, [], [{ role: 'agent' }]].map((turn): (typeof WRONG_TURNS)[number] => [
    JSON.stringify(turn),
    turn,
    [{ code: 'invalid-value', path: [] }],
  ]),
  ['no role', {}, [{ code: 'invalid-value', path: ['role'] }]],
  ['an unknown role', { role: 'system' }, [{ code: 'invalid-value', path: ['role'] }]],
  ['a role in capitals', { role: 'User', text: '' }, [{ code: 'invalid-value', path: ['role'] }]],
  ['a role that is a list', { role: ['user'], text: '' }, [{ code: 'invalid-value', path: ['role'] }]],
  [
    'a role of the prototype',
    JSON.parse('{"__proto__":{"role":"agent"}}'),
    [{ code: 'invalid-value', path: ['role'] }],
  ],
  ['an agent with a text', { role: 'agent', text: 'hello' }, [{ code: 'unknown-field', path: ['text'] }]],
  ['an agent with audio', { role: 'agent', audio: null }, [{ code: 'unknown-field', path: ['audio'] }]],
  ['no text', { role: 'user' }, [{ code: 'invalid-value', path: ['text'] }]],
  ['text that is null', { role: 'user', text: null }, [{ code: 'invalid-value', path: ['text'] }]],
  ['text that is a number', { role: 'user', text: 5 }, [{ code: 'invalid-value', path: ['text'] }]],
  ['an unknown field', { role: 'user', text: '', name: 'x' }, [{ code: 'unknown-field', path: ['name'] }]],
  [
    'a field that is called __proto__',
    JSON.parse('{"role":"user","text":"","__proto__":{}}'),
    [{ code: 'unknown-field', path: ['__proto__'] }],
  ],
  [
    'audio that is null',
    { role: 'user', text: '', audio: null },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio that is a text',
    { role: 'user', text: '', audio: 'a.wav' },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio that is a list',
    { role: 'user', text: '', audio: [] },
    [{ code: 'invalid-value', path: ['audio'] }],
  ],
  [
    'audio of no kind',
    { role: 'user', text: '', audio: {} },
    [{ code: 'invalid-value', path: ['audio', 'kind'] }],
  ],
  [
    'audio of an unknown kind',
    { role: 'user', text: '', audio: { kind: 'live' } },
    [{ code: 'invalid-value', path: ['audio', 'kind'] }],
  ],
  [
    'a voice that is a number',
    { role: 'user', text: '', audio: { kind: 'tts', voice_id: 5 } },
    [{ code: 'invalid-value', path: ['audio', 'voice_id'] }],
  ],
  [
    'an unknown field of speech',
    { role: 'user', text: '', audio: { kind: 'tts', speed: 1 } },
    [{ code: 'unknown-field', path: ['audio', 'speed'] }],
  ],
  [
    'several things at once',
    { role: 'user', name: 'x', audio: { kind: 'tts', speed: 1, voice_id: {} } },
    [
      { code: 'unknown-field', path: ['name'] },
      { code: 'invalid-value', path: ['text'] },
      { code: 'unknown-field', path: ['audio', 'speed'] },
      { code: 'invalid-value', path: ['audio', 'voice_id'] },
    ],
  ],
]

/** The code and the path of each issue. */
export function placesOf(parsed: Parsed<unknown>): readonly Pick<ConversationIssue, 'code' | 'path'>[] {
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => ({ code, path }))
}
