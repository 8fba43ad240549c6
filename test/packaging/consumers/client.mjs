export { Holdfast } from 'holdfast'
