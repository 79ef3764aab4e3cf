import { backgroundAgent, failingAgent, nestedAgents, oneAgent, parallelAgents } from './agent-scenarios.ts'
import type { Reply, Scenario, ScriptedCall } from './script.ts'
import { asked, command, main, read, replied, scenario } from './steps.ts'

/** The files of the folder in which every program works. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'README.md': '# demo\n\nA tiny project.\n',
  'src/add.js': 'export const add = (a, b) => a + b\n',
  'notes.md': '# notes\n\nfirst line\nsecond line\n',
}

const LONG =
  'This answer is long enough to stop in its middle, because it has a good many words and the reader has seen them all before.'

/** Returns all scenarios. Where programs differ in a way that the model sees, the option says how. */
export function scenarios({ compactsBy }: { readonly compactsBy: 'command' | 'limit' }): readonly Scenario[] {
  return [
    plain('text', {
      say: 'The project adds numbers. It has one function: `add`.\n\nMore: naïve café, 日本語 👋🏽.',
    }),
    plain('thinking', { think: 'Six times seven is forty-two.', say: 'It is 42.' }),
    commands(),
    edits(),
    oneAgent(),
    parallelAgents(),
    nestedAgents(),
    backgroundAgent(),
    failingAgent(),
    refusal(),
    plain('retry', { status: 500 }, { say: 'The second request has an answer.' }),
    plain('cut', { say: LONG, stops: { afterWords: 9, by: 'cut' } }, { say: 'The whole answer is short.' }),
    compaction(compactsBy),
    resumption(),
    stopped('interruption', 'interrupt'),
    stopped('kill', 'kill'),
  ]
}

function plain(name: string, ...replies: readonly Reply[]): Scenario {
  const prompt = `Tell me about the ${name}.`
  return scenario(name, [main(asked(prompt), ...replies.map(replied))], [prompt])
}

function commands(): Scenario {
  const prompt = 'Run some commands.'
  const replies: readonly Reply[] = [
    {
      think: 'A look first.',
      say: 'I look.',
      calls: [command('echo amber-1', 'amber-1'), read('notes.md', 'second line')],
    },
    { calls: [{ ...command('echo cobalt-2; exit 3', 'cobalt-2'), fails: 'exit' }] },
    { say: 'One of them failed.' },
  ]
  return scenario('command', [main(asked(prompt), ...replies.map(replied))], [prompt])
}

function edits(): Scenario {
  const prompt = 'Change some files.'
  const replies: readonly Reply[] = [
    { calls: [read('src/add.js', 'a + b')] },
    { say: 'I change it.', calls: [{ does: 'edit', path: 'src/add.js', from: 'a + b', to: 'b + a' }] },
    { calls: [{ does: 'write', path: 'src/mul.js', content: 'first\nsecond\n' }] },
    { say: 'Both files are changed.' },
  ]
  return {
    ...scenario('edit', [main(asked(prompt), ...replies.map(replied))], [prompt]),
    changes: [
      { path: 'src/add.js', kind: 'edit', added: 1, removed: 1 },
      { path: 'src/mul.js', kind: 'add', added: 2, removed: 0 },
    ],
  }
}

function refusal(): Scenario {
  const prompt = 'Make a folder.'
  const call: ScriptedCall = { ...command('mkdir made-by-the-model', ''), fails: 'refusal' }
  const steps = [
    asked(prompt),
    replied({ say: 'I make it.', calls: [call] }),
    replied({ say: 'I may not do it.' }),
  ]
  return { ...scenario('refusal', [main(...steps)], [prompt]), runs: [{ prompt, refuses: true }] }
}

function compaction(compactsBy: 'command' | 'limit'): Scenario {
  const [first, second] = ['Count the lines.', 'Count them again.']
  const count: Reply = {
    say: 'I count.',
    calls: [command('wc -l notes.md', '4 notes.md')],
    inputTokens: 30_000,
  }
  const steps = [
    asked(first),
    replied(count),
    replied({ say: 'There are four.' }),
    asked(second),
    replied({ say: 'Four again.' }),
  ]
  const prompts = compactsBy === 'command' ? [first, '/compact', second] : [first, second]
  return { ...scenario('compaction', [main(...steps)], prompts), compactsAbove: 20_000 }
}

function resumption(): Scenario {
  const [first, second] = ['Say the first word.', 'Say the second word.']
  const replies: readonly Reply[] = [
    { say: 'I list.', calls: [command('echo second-6', 'second-6')] },
    { say: 'Second.' },
  ]
  return scenario(
    'resume',
    [main(asked(first), replied({ say: 'First.' }), asked(second), ...replies.map(replied))],
    [first, second],
  )
}

function stopped(name: string, stop: 'interrupt' | 'kill'): Scenario {
  const prompt = `Tell me a long story about the ${name}.`
  const replies: readonly Reply[] = [
    { say: 'A command first.', calls: [command('echo before-7', 'before-7')] },
    { say: LONG, stops: { afterWords: 12, by: 'silence' } },
  ]
  const status = stop === 'kill' ? 'running' : 'interrupted'
  return {
    ...scenario(name, [{ ...main(asked(prompt), ...replies.map(replied)), status }], [prompt]),
    runs: [{ prompt, stop }],
    ending: status,
  }
}
