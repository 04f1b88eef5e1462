import Foundation

FileHandle.standardError.write(Data("iap: no command is built in yet\n".utf8))
exit(2)
