import SpyglassCatalog
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI

@testable import SpyglassBrowser

extension PictureKey {
    init(address: WebAddress, box: CellSize, isFull: Bool = false) {
        self.init(source: .address(address, .publicService), box: box, isFull: isFull)
    }

    /// Another photo's for a file.
    var address: WebAddress { source.address ?? samplePhoto(0).renditions[0].address }
}

extension ImageSource {
    var address: WebAddress? { if case .address(let address, _) = self { address } else { nil } }
}
