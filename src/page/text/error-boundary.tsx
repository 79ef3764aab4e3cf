import { Component, type ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** The value that the children show. After an error, the next value is tried again. */
  readonly value: unknown
  /** Shown in place of the children if one of them throws. */
  readonly fallback: () => ReactNode
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly value: unknown
  readonly hasFailed: boolean
}

/** Keeps an error within a part of the page. Without it, React removes the whole page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { value: this.props.value, hasFailed: false }

  static getDerivedStateFromError(): Pick<ErrorBoundaryState, 'hasFailed'> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps(
    { value }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return value === state.value ? null : { value, hasFailed: false }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback() : this.props.children
  }
}
