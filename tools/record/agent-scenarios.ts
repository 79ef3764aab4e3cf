import type { Reply, Scenario, ScriptedAgent, Step } from './script.ts'
import {
  agent,
  agentCall,
  asked,
  awaiting,
  calling,
  command,
  done,
  main,
  reading,
  replied,
  scenario,
} from './steps.ts'

export function oneAgent(): Scenario {
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
export function parallelAgents(): Scenario {
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

export function nestedAgents(): Scenario {
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

export function backgroundAgent(): Scenario {
  const prompt = 'Let an agent work in the background.'
  const task = 'Take your time with notes.md.'
  const slow = command('sleep 1; echo slow-4', 'slow-4')
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
        replied({ say: 'REPORT-A: it took a <i>while</i> & is &lt;done&gt;.' }),
      ),
    ],
    [prompt],
  )
}

/** The model refuses the second request of the agent for good. */
export function failingAgent(): Scenario {
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

/** Returns a scenario of what people do while they have agents, which the radar does not record. */
export function agentScenario(name: string, compactsBy: 'command' | 'limit'): readonly Scenario[] {
  const all = [
    elsewhere(),
    stoppedAgent(),
    stoppedInBackground(),
    compactedAgents(compactsBy),
    undoneAgent(),
    forkedAgents(),
  ]
  return all.filter((each) => each.name === name)
}

/** Returns a turn of main with agents that read the notes, and the agents. */
function turnOf(prompt: string, answer: Reply, ...keys: readonly string[]) {
  const tasks = keys.map((key) => [key, `Look at notes.md as ${key}.`] as const)
  const call = replied({
    say: `I ask ${keys.join(' and ')}.`,
    calls: tasks.map(([key, task]) => agentCall(key, task)),
  })
  return {
    steps: [asked(prompt), call, awaiting(...keys), replied(answer)],
    agents: tasks.map(([key, task]) =>
      agent(key, 'main', asked(task), ...reading(`REPORT-${key}: there are two lines.`)),
    ),
  }
}

/** The second process of the session starts in another folder. */
function elsewhere(): Scenario {
  const [first, second] = ['Let one look at the notes.', 'Let another one look from elsewhere.']
  const turns = [turnOf(first, { say: 'One has looked.' }, 'A')]
  const further: readonly Reply[] = [
    { say: 'I list.', calls: [command('pwd; echo there-8', 'there-8')] },
    { say: 'That was elsewhere.' },
  ]
  const steps = [...turns.flatMap((turn) => turn.steps), asked(second), ...further.map(replied)]
  return {
    ...scenario('elsewhere', [main(...steps), ...turns.flatMap((turn) => turn.agents)], [first]),
    runs: [{ prompt: first }, { prompt: second, isElsewhere: true }],
  }
}

/** The person stops one of three agents. */
function stoppedAgent(): Scenario {
  const prompt = 'Let three look, and stop one.'
  const { steps, agents } = turnOf(prompt, { say: 'Two of them have looked.' }, 'A', 'B', 'C')
  const all = agents.map((each) => (each.key === 'B' ? stopped(each, 2) : slowly(each, 4000)))
  return { ...scenario('one-stopped', [main(...steps), ...all], [prompt]), runs: [{ prompt, stop: 'agent' }] }
}

/** The person stops one of three agents in the background, which has read the notes. Each end wakes main. */
function stoppedInBackground(): Scenario {
  const prompt = 'Let three look in the background, and stop one.'
  const { agents } = turnOf(prompt, {}, 'A', 'B', 'C')
  const calls = agents.map(({ key }) => agentCall(key, `Look at notes.md as ${key}.`, true))
  const steps: readonly Step[] = [
    asked(prompt),
    replied({ say: 'I send A and B and C.', calls }),
    { awaits: ['A', 'B', 'C'], say: 'Meanwhile I wait.' },
    ...['One was stopped.', 'One has looked.', 'Two have looked.'].map((say) => replied({ say })),
  ]
  const report = replied({ say: 'REPORT-C: <i>two</i> lines & no &lt;third&gt; one.' })
  const all = agents.map((each) => {
    if (each.key === 'A') return slowly(each, 4000)
    return each.key === 'B' ? stopped(each, 2) : slowly({ ...each, steps: each.steps.with(-1, report) }, 7000)
  })
  const runs = [{ prompt, stop: 'agent' }] as const
  return { ...scenario('one-stopped-background', [main(...steps), ...all], [prompt]), runs }
}

/** Returns the agent that is silent in the middle of one of its replies, until the person stops it. */
function stopped(scripted: ScriptedAgent, place: number): ScriptedAgent {
  const say = 'I look at the first line and then at the second one and at all that comes behind them both.'
  const silent = replied({ say, stops: { afterWords: 9, by: 'silence' } })
  return { ...scripted, steps: [...scripted.steps.slice(0, place), silent], status: 'interrupted' }
}

function slowly(scripted: ScriptedAgent, waits: number): ScriptedAgent {
  const steps = scripted.steps.map((step, at) =>
    'reply' in step && at === 1 ? replied({ ...step.reply, waits }) : step,
  )
  return { ...scripted, steps }
}

/** An agent is compacted while another one works, and main between its agents. */
function compactedAgents(compactsBy: 'command' | 'limit'): Scenario {
  const [first, second] = ['Let two look for long.', 'Let a third one look.']
  const inputTokens = compactsBy === 'limit' ? 30_000 : 190_000
  const fills = compactsBy === 'limit' ? { inputTokens } : {}
  const turns = [
    turnOf(first, { say: 'Two have looked.', ...fills }, 'A', 'B'),
    turnOf(second, { say: 'All have looked.' }, 'C'),
  ]
  const long = (each: ScriptedAgent): ScriptedAgent => ({
    ...each,
    steps: each.steps.map((step, at) =>
      'reply' in step && at === 1 ? { reply: { ...step.reply, inputTokens } } : step,
    ),
  })
  const agents = turns.flatMap((turn) => turn.agents).map((each) => (each.key === 'A' ? long(each) : each))
  const prompts = compactsBy === 'command' ? [first, '/compact', second] : [first, second]
  return {
    ...scenario('agents-compaction', [main(...turns.flatMap((turn) => turn.steps)), ...agents], prompts),
    compactsAbove: 20_000,
  }
}

/** The person takes back a turn with its agent. */
function undoneAgent(): Scenario {
  const prompts = ['Let one look at first.', 'Let one look in vain.', 'Let a last one look.'] as const
  const turns = [
    turnOf(prompts[0], { say: 'The first has looked.' }, 'A'),
    turnOf(prompts[1], { say: 'That was in vain.' }, 'B'),
    turnOf(prompts[2], { say: 'The last has looked.' }, 'C'),
  ]
  return {
    ...scenario(
      'undo',
      [main(...turns.flatMap((turn) => turn.steps)), ...turns.flatMap((turn) => turn.agents)],
      [],
    ),
    runs: prompts.map((prompt, at) => ({ prompt, ...(at === 2 && { undoes: true }) })),
  }
}

/** The person goes on in a fork of a session with an agent. */
function forkedAgents(): Scenario {
  const [first, second] = ['Let one look before the fork.', 'Let one look in the fork.']
  const turns = [
    turnOf(first, { say: 'One has looked before.' }, 'A'),
    turnOf(second, { say: 'One has looked in the fork.' }, 'B'),
  ]
  return {
    ...scenario(
      'fork',
      [main(...turns.flatMap((turn) => turn.steps)), ...turns.flatMap((turn) => turn.agents)],
      [],
    ),
    runs: [{ prompt: first }, { prompt: second, forks: true }],
  }
}
