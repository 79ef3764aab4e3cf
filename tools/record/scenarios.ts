import type { Reply, Scenario, ScriptedAgent, ScriptedCall, Step } from './script.ts'

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
    { calls: [{ ...command('echo cobalt-2; exit 3', 'cobalt-2'), fails: true }] },
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

function oneAgent(): Scenario {
  const prompt = 'Let an agent look at the notes.'
  const task = 'Look at notes.md and tell its lines.'
  const child = agent('A', 'main', asked(task), ...reading('REPORT-A: there are two lines.'))
  return scenario(
    'agent',
    [main(asked(prompt), replied(calling('A', task)), awaiting('A'), replied(done)), child],
    [prompt],
  )
}

/** Three agents at once, of which two have the same prompt. */
function parallelAgents(): Scenario {
  const prompt = 'Let three agents look at the notes.'
  const tasks = {
    A: 'Read the first line of notes.md.',
    B: 'Read all of notes.md.',
    C: 'Read the first line of notes.md.',
  }
  const calls = Object.entries(tasks).map(([key, task]) => agentCall(key, task))
  const children = Object.entries(tasks).map(([key, task], at) =>
    agent(
      key,
      'main',
      asked(task),
      replied({
        waits: 150 + 200 * at,
        say: `Agent number ${at} begins.`,
        calls: [command(`echo seen-${at}`, `seen-${at}`)],
      }),
      replied({ say: `REPORT-${key}: number ${at} is done.` }),
    ),
  )
  const steps = [
    asked(prompt),
    replied({ say: 'Three at once.', calls }),
    awaiting('A', 'B', 'C'),
    replied(done),
  ]
  return scenario('parallel', [main(...steps), ...children], [prompt])
}

function nestedAgents(): Scenario {
  const prompt = 'Let an agent ask another agent.'
  const [outer, inner] = ['Ask an agent of your own for the lines.', 'Tell me the lines of notes.md.']
  return scenario(
    'nested',
    [
      main(asked(prompt), replied(calling('A', outer)), awaiting('A'), replied(done)),
      agent(
        'A',
        'main',
        asked(outer),
        replied(calling('B', inner)),
        awaiting('B'),
        replied({ say: 'REPORT-A: my agent saw two lines.' }),
      ),
      agent('B', 'A', asked(inner), ...reading('REPORT-B: two lines.')),
    ],
    [prompt],
  )
}

function backgroundAgent(): Scenario {
  const prompt = 'Let an agent work in the background.'
  const task = 'Take your time with notes.md.'
  const slow = command('sleep 2; echo slow-4', 'slow-4')
  return scenario(
    'background',
    [
      main(
        asked(prompt),
        replied({ say: 'It starts.', calls: [agentCall('A', task, true)] }),
        { awaits: ['A'], say: 'Meanwhile I wait.' },
        replied({ say: 'The agent has reported.' }),
      ),
      agent(
        'A',
        'main',
        asked(task),
        replied({ say: 'Slowly.', calls: [slow] }),
        replied({ say: 'REPORT-A: it took a while.' }),
      ),
    ],
    [prompt],
  )
}

/** The model refuses the second request of the agent for good. */
function failingAgent(): Scenario {
  const prompt = 'Let an agent fail.'
  const task = 'Begin, and then fail.'
  const child = agent(
    'A',
    'main',
    asked(task),
    replied({ say: 'I begin.', calls: [command('echo half-5', 'half-5')] }),
    replied({ status: 400 }),
  )
  const steps = [
    asked(prompt),
    replied(calling('A', task)),
    awaiting('A'),
    replied({ say: 'The agent has failed.' }),
  ]
  return scenario('failure', [main(...steps), { ...child, status: 'error' }], [prompt])
}

function refusal(): Scenario {
  const prompt = 'Make a folder.'
  const call: ScriptedCall = { ...command('mkdir made-by-the-model', ''), fails: true }
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

const done: Reply = { say: 'That is all.' }

function scenario(name: string, agents: readonly ScriptedAgent[], prompts: readonly string[]): Scenario {
  return { name, agents, runs: prompts.map((prompt) => ({ prompt })), ending: 'finished' }
}

function main(...steps: readonly Step[]): ScriptedAgent {
  return { key: 'main', parent: null, steps, status: 'success' }
}

function agent(key: string, parent: string, ...steps: readonly Step[]): ScriptedAgent {
  return { key, parent, steps, status: 'success' }
}

function asked(prompt: string): Step {
  return { prompt }
}

function replied(reply: Reply): Step {
  return { reply }
}

function awaiting(...awaits: readonly string[]): Step {
  return { awaits }
}

function reading(report: string): readonly Step[] {
  const look: Reply = {
    think: 'The notes first.',
    say: 'I read the notes.',
    calls: [read('notes.md', 'first line')],
  }
  return [replied(look), replied({ say: report })]
}

function calling(key: string, task: string): Reply {
  return { say: 'I ask an agent.', calls: [agentCall(key, task)] }
}

function agentCall(key: string, prompt: string, background?: true): ScriptedCall {
  return {
    does: 'agent',
    agent: key,
    prompt,
    description: `Work of ${key}`,
    ...(background && { background }),
  }
}

function command(text: string, contains: string): Extract<ScriptedCall, { does: 'command' }> {
  return { does: 'command', command: text, contains }
}

function read(path: string, contains: string): ScriptedCall {
  return { does: 'read', path, contains }
}
