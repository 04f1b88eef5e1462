// Apps import `IAPKit` only; the values in its API come from here.
@_exported public import IAPModel
