import { placeOf } from '../setup/places.js'
import { contract } from './contract.js'

contract(placeOf('sqlite'))
