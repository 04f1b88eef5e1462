#import "DemoCoinsViewController.h"

@import IAPKitCallbacks;

static NSString *const DemoCoinsIdentifier = @"com.example.demo.coins";

@interface DemoCoinsViewController () <IAPRequestDelegate>
@property(nonatomic) UILabel *label;
@property(nonatomic) UIButton *button;
@end

@implementation DemoCoinsViewController

- (void)viewDidLoad {
  [super viewDidLoad];
  self.view.backgroundColor = UIColor.whiteColor;
  self.label = [[UILabel alloc] initWithFrame:CGRectZero];
  self.label.numberOfLines = 0;
  self.button = [UIButton buttonWithType:UIButtonTypeSystem];
  self.button.enabled = NO;
  [self.button addTarget:self
                  action:@selector(buy)
        forControlEvents:UIControlEventTouchUpInside];
  UIStackView *stack = [[UIStackView alloc] initWithArrangedSubviews:@[ self.label, self.button ]];
  stack.axis = UILayoutConstraintAxisVertical;
  stack.translatesAutoresizingMaskIntoConstraints = NO;
  [self.view addSubview:stack];
  [NSLayoutConstraint activateConstraints:@[
    [stack.centerXAnchor constraintEqualToAnchor:self.view.centerXAnchor],
    [stack.centerYAnchor constraintEqualToAnchor:self.view.centerYAnchor],
  ]];
  // The client was made at the app's start; it keeps the products, this screen keeps none.
  [SharedClient.requests loadProducts:@[ DemoCoinsIdentifier ] delegate:self];
}

- (void)buy {
  self.button.enabled = NO;
  [SharedClient.requests purchase:DemoCoinsIdentifier delegate:self];
}

#pragma mark - IAPRequestDelegate

- (void)request:(IAPRequest *)request
        didLoad:(NSArray<ProductItem *> *)products
        missing:(NSArray<NSString *> *)missing {
  ProductItem *coins = products.firstObject;
  self.label.text = coins.localizedTitle;
  [self.button setTitle:coins.localizedPrice forState:UIControlStateNormal];
  self.button.enabled = coins != nil;
}

- (void)request:(IAPRequest *)request
    didFinishWith:(NSArray<TransactionItem *> *)transactions {
  self.label.text = @"Thank you.";
  self.button.enabled = YES;
}

- (void)requestIsPending:(IAPRequest *)request {
  self.label.text = @"Waiting: it opens by itself.";
  self.button.enabled = YES;
}

- (void)requestWasCancelled:(IAPRequest *)request {
  // The customer closed the sheet: nothing is said.
  self.button.enabled = YES;
}

- (void)request:(IAPRequest *)request didFailWith:(NSError *)error {
  self.label.text = error.localizedDescription;
  self.button.enabled = YES;
}

@end
