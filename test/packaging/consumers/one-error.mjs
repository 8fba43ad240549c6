export { LockTimeoutError } from 'holdfast'
