import { type ReactNode, useState } from 'react'
import { allPrograms } from '../../../src/programs/all.ts'
import { storageOf } from '../../../src/programs/storages.ts'
import { examples } from './examples.ts'
import { type Opened, openSession } from './opening.ts'
import { type ChosenFile, inputFiles } from './read-files.ts'
import type { FoundSession } from './sessions-in-files.ts'

interface StartPageProps {
  readonly opened: Exclude<Opened, { readonly type: 'session' }>
  readonly onChosen: (chosen: Promise<readonly ChosenFile[]>) => void
  readonly onText: (text: string) => void
  readonly onOpened: (opened: Opened) => void
}

/** The first screen: it opens a session, and has examples of every program. */
export function StartPage({ opened, onChosen, onText, onOpened }: StartPageProps): ReactNode {
  return (
    <main className="start">
      <p className="brand">agentfold</p>
      <h1>Read a session of a coding agent</h1>
      <p className="lead">
        agentfold shows prompts, answers, tools, diffs, approvals and nested agents, whichever program wrote
        them. The session stays in this browser: the page may open no connection.
      </p>
      <Drop onChosen={onChosen} onText={onText} />
      {opened.type === 'start' && opened.problem !== undefined && (
        <p className="problem" role="alert">
          {opened.problem}
        </p>
      )}
      {opened.type === 'choice' && <Choice sessions={opened.sessions} onOpened={onOpened} />}
      <Examples />
      <Places />
      <nav className="links" aria-label="Site">
        <a href="docs/README.html">Documentation</a>
        <a href="docs/react.html#copy-the-components">Components</a>
        <a href="CHANGELOG.html">Changelog</a>
      </nav>
    </main>
  )
}

/** The place for a file, a folder or a link. The whole page takes drops too. */
function Drop({ onChosen, onText }: Pick<StartPageProps, 'onChosen' | 'onText'>): ReactNode {
  const [text, setText] = useState('')
  return (
    <section className="drop" aria-label="Open a session">
      <p>Drop a session file, a folder or a share link here</p>
      <div className="choose">
        <FileInput label="Choose a file" onChosen={onChosen} />
        <FileInput label="Choose a folder" isFolder onChosen={onChosen} />
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onText(text)
        }}
      >
        <input
          aria-label="Share link"
          placeholder="… or paste a share link"
          value={text}
          onChange={(event) => setText(event.target.value)}
          required
        />
        <button type="submit" className="plain">
          Open
        </button>
      </form>
    </section>
  )
}

interface FileInputProps extends Pick<StartPageProps, 'onChosen'> {
  readonly label: string
  readonly isFolder?: true
}

function FileInput({ label, isFolder, onChosen }: FileInputProps): ReactNode {
  return (
    <label className="button">
      {label}
      <input
        type="file"
        className="visually-hidden"
        multiple
        {...(isFolder && { webkitdirectory: '' })}
        onChange={({ target }) => {
          const { files } = target
          if (files && files.length > 0) onChosen(Promise.resolve(inputFiles(files)))
          // The same file may be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}

/** The sessions of a folder that has several. */
function Choice({
  sessions,
  onOpened,
}: Pick<StartPageProps, 'onOpened'> & { readonly sessions: readonly FoundSession[] }): ReactNode {
  return (
    <section aria-labelledby="choice">
      <h2 id="choice">{sessions.length} sessions</h2>
      <ul className="choice">
        {sessions.map((session) => (
          <li key={session.path}>
            <button type="button" className="plain" dir="auto" onClick={() => onOpened(openSession(session))}>
              {session.title ?? session.path}
            </button>
            {session.title !== undefined && <small dir="auto">{session.path}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Examples(): ReactNode {
  return (
    <section aria-labelledby="examples-title">
      <h2 id="examples-title">Examples</h2>
      <ul className="examples">
        {examples.map(({ name, program, note }) => (
          <li key={name}>
            <a href={`?example=${name}`}>
              {program} <small>{note}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where the programs keep their sessions, with the separators of a home folder in Unix. */
function Places(): ReactNode {
  return (
    <details className="places">
      <summary>Where are my sessions?</summary>
      <dl>
        {PLACES.map(({ program, folders }) => (
          <div key={program}>
            <dt>{program}</dt>
            <dd>{folders.join(', ')}</dd>
          </div>
        ))}
      </dl>
      <p>
        On your own machine, <code>npx agentfold</code> lists them, also those in databases.
      </p>
    </details>
  )
}

const PLACES = allPrograms().flatMap(({ names: [program] }) => {
  const folders =
    storageOf(program)
      ?.folders({ home: '~', variables: {} })
      .map(({ path }) => path) ?? []
  return folders.length > 0 ? [{ program, folders: [...new Set(folders)] }] : []
})
